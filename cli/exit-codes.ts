/** What scripts can rely on. */
export const EXIT = {
    healthy: 0,
    /** Wrong flags or a wrong mesh file; no cluster was contacted. */
    usage: 1,
    /** We looked, and not all is well. */
    degraded: 2,
    /** A defect of this program. */
    defect: 70,
    interrupted: 130,
    terminated: 143,
} as const;
