import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A directory for one test file's tests; `remove` in afterAll. */
export async function temporaryDirectory() {
    const directory = await mkdtemp(path.join(tmpdir(), "kilo-clustermesh-test-"));
    return {
        path: directory,
        async file(name: string, content: string, mode = 0o600): Promise<string> {
            const file = path.join(directory, name);
            await writeFile(file, content);
            await chmod(file, mode);
            return file;
        },
        remove: () => rm(directory, { recursive: true, force: true }),
    };
}
