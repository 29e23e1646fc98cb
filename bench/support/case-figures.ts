import type { Case } from "./results";
import { ratios } from "./statistics";
import { figure } from "./table";

/** One series of a case; empty where it was not measured. */
export const of = ({ series }: Case, name: string): readonly number[] => series[name] ?? [];

export const fact = ({ facts }: Case, name: string): number => facts[name] ?? 0;

export const against = (each: Case, above: string, below: string): string =>
    figure(ratios(of(each, above), of(each, below)), "×");

export const seconds = (milliseconds: readonly number[]): string =>
    figure(
        milliseconds.map((each) => each / 1000),
        " s",
    );
