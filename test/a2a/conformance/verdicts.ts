import { DOMParser, type Element } from "@xmldom/xmldom";

/** The marks that the kit's tests carry, hardest first. */
export const LEVELS = ["must", "should", "may"] as const;
export type Level = (typeof LEVELS)[number];

export interface Verdict {
	/** `<file>::<class>::<test>[<requirement>-<transport>]`, below the kit's folder of tests. */
	readonly test: string;
	readonly outcome: "passed" | "failed" | "skipped";
	/** Why it failed or was skipped. */
	readonly reason: string;
}

const FOLDER = /^tests\.compatibility\./;

/** Reads a report in the format of JUnit; what pytest expected to fail has failed here. */
export function readVerdicts(xml: string): readonly Verdict[] {
	const cases = new DOMParser().parseFromString(xml, "text/xml").getElementsByTagName("testcase");
	return Array.from(cases, toVerdict);
}

function toVerdict(element: Element): Verdict {
	const file = (element.getAttribute("classname") ?? "").replace(FOLDER, "").replaceAll(".", "/");
	const test = `${file}::${element.getAttribute("name") ?? ""}`;
	const named = (tag: string) => element.getElementsByTagName(tag)[0];
	const failure = named("failure") ?? named("error");
	const skipped = named("skipped");
	const mark = failure ?? skipped;
	const reason = mark?.getAttribute("message") ?? "";
	if (!mark) return { test, outcome: "passed", reason };
	const hasFailed = failure !== undefined || skipped?.getAttribute("type") === "pytest.xfail";
	return { test, outcome: hasFailed ? "failed" : "skipped", reason };
}
