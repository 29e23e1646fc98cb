import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { create } from "tar";
import { findTools, ToolchainError } from "../../../../tools/toolchain";
import { digestFor } from "../../../../tools/toolchain/download";
import { executable, reports, type Workshop, widget, workshop } from "./workshop";

const PROGRAM = executable(reports("2.0.5"));
const sha = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");

let shop: Workshop;
let server: Server;
let answer: RequestListener;
let base: string;

beforeEach(async () => {
    shop = workshop();
    answer = (_, response) => void response.writeHead(404).end();
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    shop.remove();
});

/** Serves these files; a function decides for itself. */
function serve(files: Record<string, string | Buffer | RequestListener>): void {
    answer = (request, response) => {
        const file = files[request.url ?? ""];
        if (typeof file === "function") file(request, response);
        else if (file === undefined) response.writeHead(404).end();
        else response.end(file);
    };
}

const plain = () => ({ version: "2.0.5", url: `${base}/widget`, checksums: `${base}/widget.sha256` });
const find = (download = plain(), context = shop.context) =>
    findTools(context, [widget({ download: () => download })]).then((found) => found.get("widget")!);

describe("the official download", () => {
    test("a binary with the right checksum goes into the cache and nothing is built", async () => {
        shop.installGo();
        serve({ "/widget": PROGRAM, "/widget.sha256": sha(PROGRAM) });
        const path = await find();
        expect(readFileSync(path, "utf8")).toBe(PROGRAM);
        expect(path).toContain("widget-2.0.5-");
        expect(shop.lines).toEqual(["Downloaded widget 2.0.5"]);
        expect(shop.builds()).toBe(0);
    });

    test("one archive serves all the tools in it and is fetched once", async () => {
        const archive = await tarball({ "kit/widget": PROGRAM, "kit/gadget": PROGRAM, "kit/other": "not wanted" });
        let fetched = 0;
        serve({
            "/kit.tar.gz": (_, response) => {
                fetched++;
                response.end(archive);
            },
            "/sums": `${sha("x")}  other.tar.gz\n${sha(archive)}  kit.tar.gz\n`,
        });
        const kit = (member: string) => () => ({
            version: "2.0.5",
            url: `${base}/kit.tar.gz`,
            checksums: `${base}/sums`,
            member: `kit/${member}`,
        });
        const gadget = widget({ name: "gadget", variable: "TEST_GADGET", download: kit("gadget") });
        const found = await findTools(shop.context, [widget({ download: kit("widget") }), gadget]);
        expect([...found.keys()].sort()).toEqual(["gadget", "widget"]);
        for (const path of found.values()) expect(readFileSync(path, "utf8")).toBe(PROGRAM);
        expect(fetched).toBe(1);
    });

    test("a broken download is named, never used, and the tool is built instead", async () => {
        shop.installGo();
        serve({ "/widget": `${PROGRAM}garbage`, "/widget.sha256": sha(PROGRAM) });
        const path = await find();
        expect(path).toContain("widget-2.0.0-");
        expect(shop.lines[0]).toMatch(/^No download of widget \(.*\/widget is broken: its sha256 is .*, published is /);
        expect(shop.builds()).toBe(1);
    });

    test.each<[string, Record<string, string | RequestListener>, RegExp]>([
        ["a host that does not know the file", {}, /answers 404/],
        [
            "a list of checksums without the file",
            { "/widget.sha256": `${sha("x")}  gadget` },
            /has no sha256 of widget/,
        ],
        ["a host that accepts and says nothing", { "/widget.sha256": () => undefined }, /[Tt]imeout/],
        [
            "a connection that breaks half way",
            {
                "/widget.sha256": sha(PROGRAM),
                "/widget": (_, response) => {
                    response.writeHead(200, { "content-length": "1000" });
                    response.write("half", () => response.destroy());
                },
            },
            /terminated|aborted|closed/,
        ],
    ])("%s costs one line and the tool is built", async (_, files, line) => {
        shop.installGo();
        serve(files);
        await expect(find()).resolves.toContain("widget-2.0.0-");
        expect(shop.lines[0]).toMatch(line);
        expect(readdirSync(shop.cache)).toEqual([`widget-2.0.0-${process.platform}-${process.arch}`]);
    });

    test("without Go the error repeats why the download failed", async () => {
        await expect(find()).rejects.toThrow(/- widget \(or set TEST_WIDGET\): .*answers 404/);
    });

    test("a disk that is full is an error at once: building would need even more room", async () => {
        shop.installGo();
        serve({ "/widget": PROGRAM, "/widget.sha256": sha(PROGRAM) });
        const full = () =>
            new Writable({
                write: (_chunk, _encoding, done) => done(Object.assign(new Error("write failed"), { code: "ENOSPC" })),
            });
        const attempt = find(plain(), { ...shop.context, openForWriting: full });
        await expect(attempt).rejects.toThrow(ToolchainError);
        await expect(attempt).rejects.toThrow("The disk is full");
        expect(shop.builds()).toBe(0);
    });
});

describe("lists of checksums", () => {
    const digest = sha("x");
    test.each([
        ["sha256sum's two columns", `${digest}  widget\n`, digest],
        ["binary mode", `${digest} *widget\n`, digest],
        ["a path before the name", `${digest}  ./dist/widget\n`, digest],
        ["a bare digest", digest, digest],
        ["capital letters", digest.toUpperCase(), digest],
        ["another file only", `${digest}  widgets\n`, undefined],
        ["a page that is no list", "<html>not found</html>", undefined],
        ["a digest that is too short", "abc123  widget", undefined],
    ])("%s", (_, text, expected) => {
        expect(digestFor("widget", text)).toBe(expected);
    });
});

async function tarball(files: Record<string, string>): Promise<Buffer> {
    const directory = mkdtempSync(join(tmpdir(), "kilo-tarball-"));
    try {
        for (const [name, content] of Object.entries(files)) {
            mkdirSync(join(directory, name, ".."), { recursive: true });
            writeFileSync(join(directory, name), content);
        }
        await create({ gzip: true, cwd: directory, file: join(directory, "out.tar.gz") }, Object.keys(files));
        return readFileSync(join(directory, "out.tar.gz"));
    } finally {
        rmSync(directory, { recursive: true, force: true });
    }
}
