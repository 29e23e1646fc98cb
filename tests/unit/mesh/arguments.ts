import { validateMesh } from "../../../provider/mesh/args/validate";

export const a = (more: object = {}) => ({ name: "a", podCIDRs: ["10.1.0.0/16"], ...more });
export const b = (more: object = {}) => ({ name: "b", podCIDRs: ["10.2.0.0/16"], ...more });

/** A mesh of both, with whatever is right or wrong about it. */
export const mesh = (more: object = {}, first: object = {}, second: object = {}) => ({
    mesh: "m",
    clusters: [a(first), b(second)],
    ...more,
});

export const found = (args: unknown, options = {}) =>
    validateMesh(args, options).map(({ code, path }) => `${code} ${path}`);
