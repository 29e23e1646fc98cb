import * as pulumi from "@pulumi/pulumi";
import { MockMonitor } from "@pulumi/pulumi/runtime/mocks";

/** Users test their programs with Pulumi's mocks: then there is no engine, and no cluster is contacted. */
export const isMocked = (): boolean => pulumi.runtime.getMonitor() instanceof MockMonitor;
