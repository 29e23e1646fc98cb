import { importRecorded } from "../support/import-recorded";
import type { Outcome } from "../support/project";
import { bytesOf } from "../support/strangers";

jest.setTimeout(600_000);

function succeeded({ code, text }: Outcome): string {
    if (code !== 0) throw new Error(text);
    return text;
}

/** What happened to children, as `PeerSet edge-hub-peers updated`. */
const changed = (text: string): string[] =>
    [...text.matchAll(/(Mesh|Member|PeerSet) (\S+) (created|updated|deleted|replaced)/g)].map(([line]) => line);

test("a stack of 0.1.0 moves to the plugin without a write, and back with one update per child and no write", async () => {
    const { world, project } = await importRecorded("0.1.0/full-mesh");
    try {
        const members = world.clusters.clusters.length;
        const ours = await bytesOf("ours", world);
        project.host = "plugin";
        const first = changed(succeeded(await project.up("--suppress-progress")));
        // 0.1.0 had no record of the mesh, and its members knew less
        expect(first.filter((line) => !line.startsWith("Member "))).toEqual([
            expect.stringMatching(/^Mesh .* created$/),
        ]);
        expect(first.filter((line) => line.endsWith("deleted") || line.endsWith("replaced"))).toEqual([]);
        expect(succeeded(await project.up())).toMatch(new RegExp(`Resources:\\s+${3 + 2 * members} unchanged`));
        expect(await bytesOf("ours", world)).toBe(ours);

        project.host = "dynamic";
        succeeded(await project.up());
        expect(await bytesOf("ours", world)).toBe(ours);
        expect(succeeded(await project.up())).toMatch(/Resources:\s+\d+ unchanged\n/);
        project.host = "plugin";
        expect(succeeded(await project.preview())).toMatch(/Resources:\s+\d+ unchanged/);
        expect(changed(succeeded(await project.up("--suppress-progress")))).toEqual([]);
        expect(await bytesOf("ours", world)).toBe(ours);

        await world.get("hub").putNode({ name: "hub-n9" });
        succeeded(await project.up());
        const grown = await bytesOf("ours", world);
        expect(grown).toContain("edge--hub--hub-n9");
        project.host = "dynamic";
        const back = changed(succeeded(await project.up("--suppress-progress")));
        expect(back.every((line) => line.endsWith("updated"))).toBe(true);
        expect(await bytesOf("ours", world)).toBe(grown);
        expect(succeeded(await project.up())).toMatch(/Resources:\s+\d+ unchanged\n/);

        succeeded(await project.destroy());
        expect(JSON.parse(await bytesOf("ours", world))).toEqual([]);
    } finally {
        await world.stop();
    }
});
