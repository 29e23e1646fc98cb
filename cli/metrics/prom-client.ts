/** The build puts the library itself here (tools/process/bundle-metrics.ts): installed, most of it is test data of what it needs. */
export * from "prom-client";
