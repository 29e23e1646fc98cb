export interface Sample {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
}

export interface Family {
    readonly help: string;
    readonly type: string;
    readonly samples: readonly Sample[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[0-9.e+-]+|NaN|[+-]Inf)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = { histogram: ["_bucket", "_sum", "_count"] };

/** Reads the text format of Prometheus, and takes nothing that a server would not: each family once, HELP and TYPE first. */
export function readExposition(text: string): Readonly<Record<string, Family>> {
    if (!text.endsWith("\n")) throw new Error("the last line has no end");
    const families: Record<string, { help: string; type: string; samples: Sample[] }> = {};
    let current = "";
    for (const line of text.split("\n").filter((each) => each !== "")) {
        const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
        if (kind === "HELP") {
            if (families[name] !== undefined) throw new Error(`${name} comes twice`);
            families[name] = { help: rest, type: "", samples: [] };
            current = name;
        } else if (kind === "TYPE") {
            if (name !== current) throw new Error(`the type of ${name} has no help before it`);
            families[name]!.type = rest;
        } else families[current]!.samples.push(sampleOf(line, current, families[current]!.type));
    }
    return families;
}

function sampleOf(line: string, family: string, type: string): Sample {
    const [, name = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
    const allowed = (SUFFIXES[type] ?? [""]).map((suffix) => family + suffix);
    if (!allowed.includes(name)) throw new Error(`not a sample of ${family}: ${line}`);
    return { name, labels: labelsOf(labels), value: Number(value.replace("Inf", "Infinity")) };
}

function labelsOf(text: string): Record<string, string> {
    const labels: Record<string, string> = {};
    LABEL.lastIndex = 0;
    while (LABEL.lastIndex < text.length) {
        const at = LABEL.lastIndex;
        const [, name = "", value = ""] = LABEL.exec(text) ?? [];
        if (name === "" || labels[name] !== undefined) throw new Error(`labels that cannot be read: ${text.slice(at)}`);
        labels[name] = value.replace(/\\(["\\n])/g, (_, char: string) => (char === "n" ? "\n" : char));
    }
    return labels;
}

/** `name{a="b"}`, labels in order, to its value. */
export const valuesOf = (families: Readonly<Record<string, Family>>): Readonly<Record<string, number>> =>
    Object.fromEntries(
        Object.values(families)
            .flatMap(({ samples }) => samples)
            .map(({ name, labels, value }) => [
                `${name}{${Object.entries(labels)
                    .sort()
                    .map(([key, text]) => `${key}="${text}"`)
                    .join(",")}}`,
                value,
            ]),
    );
