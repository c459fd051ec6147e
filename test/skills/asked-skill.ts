import type { Skill } from "../../src/contract/skill.js";

const context = { signal: new AbortController().signal, requestId: "req_test", callId: "req_test" };

/** Asks as the pipeline does: input parsed, checked, run; the answer held against its schema. */
export function ask<Result>(skill: Skill) {
	return async (input: Record<string, unknown>): Promise<Result & { readonly kind: string }> => {
		const parsed = skill.input.parse(input);
		await skill.prepare?.(parsed);
		const { kind, result } = await skill.run(parsed, context);
		return { kind, ...(skill.output.parse(result) as Result) };
	};
}
