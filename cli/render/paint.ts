export type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Gives a text a colour, or leaves it alone where colours are not wanted. */
export type Paint = (colour: Colour, text: string) => string;

const CODES: Readonly<Record<Colour, readonly [number, number]>> = {
    bold: [1, 22],
    dim: [2, 22],
    red: [31, 39],
    green: [32, 39],
    yellow: [33, 39],
    cyan: [36, 39],
};

export const plain: Paint = (_, text) => text;

export const coloured: Paint = (colour, text) => {
    const [on, off] = CODES[colour];
    return text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`;
};
