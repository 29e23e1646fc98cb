export interface Size {
    readonly width: number;
    readonly height: number;
}

export interface Point {
    readonly x: number;
    readonly y: number;
}

export interface Placed<T> extends Point {
    readonly item: T;
}

/** Wider than high, because boxes and pages are. */
const STRETCH = 1.4;
const STEP = 4;

/**
 * Boxes on an ellipse, as close as `gap` allows; hubs on one of their own inside it. Centres, around the origin. Simple
 * on purpose: every link of a full mesh stays visible, and the same mesh always gives the same picture.
 */
export function layout<T>(outer: readonly T[], inner: readonly T[], box: Size, gap: Size): readonly Placed<T>[] {
    const core = ring(inner, box, gap, [], 0);
    return [...core, ...ring(outer, box, gap, core, inner.length === 0 ? 0 : box.height + gap.height)];
}

function ring<T>(
    items: readonly T[],
    box: Size,
    gap: Size,
    inside: readonly Placed<T>[],
    smallest: number,
): readonly Placed<T>[] {
    for (let radius = smallest; ; radius += STEP) {
        // Around several hubs half a step further, so that no spoke runs through one hub to another.
        const turn = inside.length > 1 ? 0.5 : 0;
        const placed = items.map((item, i) => ({ item, ...onEllipse(i + turn, items.length, radius) }));
        if (!collides([...inside, ...placed], box, gap)) return placed;
    }
}

/** The first on top, clockwise; two side by side. */
function onEllipse(i: number, count: number, radius: number): Point {
    const angle = (i / count) * 2 * Math.PI - (count === 2 ? Math.PI : Math.PI / 2);
    return { x: Math.cos(angle) * radius * STRETCH, y: Math.sin(angle) * radius };
}

function collides(points: readonly Point[], box: Size, gap: Size): boolean {
    const byX = [...points].sort((a, b) => a.x - b.x);
    const [width, height] = [box.width + gap.width, box.height + gap.height];
    return byX.some((a, i) => {
        for (const b of byX.slice(i + 1)) {
            if (b.x - a.x >= width) return false;
            if (Math.abs(b.y - a.y) < height) return true;
        }
        return false;
    });
}

/** Where the line from the box's centre towards `to` leaves the box, `margin` further out. */
export function edgeOf(from: Point, to: Point, box: Size, margin: number): Point {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(dx, dy) || 1;
    const share = Math.min(
        dx === 0 ? Number.POSITIVE_INFINITY : box.width / 2 / Math.abs(dx),
        dy === 0 ? Number.POSITIVE_INFINITY : box.height / 2 / Math.abs(dy),
    );
    const part = Math.min(0.5, share + margin / length);
    return { x: from.x + dx * part, y: from.y + dy * part };
}

/** The point at a share of the way from `a` to `b`. */
export const between = (a: Point, b: Point, share: number): Point => ({
    x: a.x + (b.x - a.x) * share,
    y: a.y + (b.y - a.y) * share,
});
