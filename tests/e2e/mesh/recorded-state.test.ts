import { type Imported, importRecorded } from "../support/import-recorded";
import type { Outcome } from "../support/project";
import { bytesOf } from "../support/strangers";

jest.setTimeout(300_000);

function succeeded({ code, text }: Outcome): string {
    if (code !== 0) throw new Error(text);
    return text;
}

/** What happened to peer sets, as `edge-hub-peers updated`. */
const changedPeerSets = (text: string): string[] =>
    [...text.matchAll(/PeerSet (\S+-peers) (created|updated|deleted|replaced)/g)].map(
        ([, name, how]) => `${name} ${how}`,
    );

test.each(["0.1.0/full-mesh", "0.1.0/hub-and-spoke"])(
    "the stack %s, imported into the real engine, is unchanged by up and refresh, takes a new node and can be destroyed",
    async (stack) => {
        const { world, project }: Imported = await importRecorded(stack);
        // Where hub saw them when it was recorded.
        world.expecting({
            forwards: {
                "203.0.113.20:40020": { cluster: "site", node: "site-n2" },
                "203.0.113.50:40050": { cluster: "cellar", node: "cellar-n1" },
            },
        });
        try {
            const [ours, strangers] = [await bytesOf("ours", world), await bytesOf("strangers", world)];
            expect(changedPeerSets(succeeded(await project.up("--suppress-progress")))).toEqual([]);
            expect(succeeded(await project.refresh())).not.toContain("not as it was written");
            expect(await bytesOf("ours", world)).toBe(ours);

            await world.get("hub").putNode({ name: "hub-n9" });
            succeeded(await project.up());
            for (const { name } of world.clusters.clusters.slice(1)) {
                expect(await world.peers(name)).toContain("edge--hub--hub-n9");
            }
            expect(succeeded(await project.up())).toMatch(/Resources:\s+9 unchanged/);

            succeeded(await project.destroy());
            expect(JSON.parse(await bytesOf("ours", world))).toEqual([]);
            expect(await bytesOf("strangers", world)).toBe(strangers);
        } finally {
            await world.stop();
        }
    },
);
