/** How the engine marks values that are more than they seem, in calls and in a state (docs/pulumi.md: secrets in a state). */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";
export const SECRET = "1b47061264138c4ac30d75fd1eb44270";
export const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
