import type { Message, Part } from "@a2a-js/sdk";
import { DEFAULT_TEXT_SKILL } from "../../agent-card/agent-card.js";
import { findSkillId, SKILL_IDS, type SkillId } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";

/** What a message asks for: a skill and the input its schema will judge. */
export interface SkillRequest {
	readonly skillId: SkillId;
	readonly rawInput: unknown;
}

/** Retry key of a message or task id; its prefix keeps it apart from REST's keys of the same principal. */
export function keyOf(id: string): string {
	return `a2a:${id}`;
}

/**
 * Reads a message whose envelope was checked: the one data part `{skill, input}`, whatever text stands beside it, or else all text as the query
 * of the default skill. Throws INVALID_ARGUMENT with the path of what is wrong.
 */
export function toSkillRequest({ parts }: Message): SkillRequest {
	const data = parts.findIndex((part) => part.content?.$case === "data");
	if (data !== -1) {
		if (parts.findLastIndex((part) => part.content?.$case === "data") !== data) {
			throw invalid("message.parts", "must hold one data part at most");
		}
		return fromData(parts[data]?.content?.value, `message.parts.${data}.data`);
	}
	return { skillId: DEFAULT_TEXT_SKILL, rawInput: { query: joinText(parts) } };
}

function fromData(value: unknown, path: string): SkillRequest {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw invalid(path, 'must be an object {"skill", "input"}');
	}
	const { skill, input = {}, ...others } = value as Record<string, unknown>;
	const unknown = Object.keys(others)[0];
	if (unknown !== undefined) {
		throw invalid(`${path}.${unknown.slice(0, 80)}`, 'is not known; send "skill" and "input" only');
	}
	const skillId = typeof skill === "string" ? findSkillId(skill) : undefined;
	if (!skillId) throw invalid(`${path}.skill`, `must be one of ${SKILL_IDS.join(", ")}`);
	return { skillId, rawInput: input };
}

function joinText(parts: readonly Part[]): string {
	return parts
		.map(({ content }) => (content?.$case === "text" ? content.value : ""))
		.join("\n")
		.trim();
}

function invalid(path: string, message: string): ServiceError {
	return new ServiceError("INVALID_ARGUMENT", `The message is not valid: "${path}" ${message}.`, {
		details: [{ path, message }],
	});
}
