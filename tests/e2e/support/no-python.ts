import { lackingForPython } from "../../../tools/toolchain/python-packages";

/** Why programs in Python cannot be run here, or undefined. Known before tests are named: a name tells the reason. */
export const noPython = lackingForPython(process);

/** For the name of a test that is skipped; `npm test` lists such names (tools/test/tally.ts). */
export const notRun = (reason: string | undefined): string => (reason === undefined ? "" : ` [not run: ${reason}]`);
