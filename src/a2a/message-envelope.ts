import { LEGACY_METHOD_PUSH_NOTIFICATION_CONFIG_SET } from "@a2a-js/sdk/compat/v0_3";
import { ContentTypeNotSupportedError } from "@a2a-js/sdk/errors";
import { z } from "zod";
import { parseInput } from "../contract/contract.js";
import { invalidArgument, isRecord, type ServiceError } from "../kernel/kernel.js";

/**
 * How a message is written: as JSON-RPC and HTTP+JSON write it in version 1.0, as JSON-RPC did in 0.3,
 * or as HTTP+JSON did in 0.3.
 */
type Dialect = "1.0" | "0.3" | "0.3 HTTP+JSON";

/**
 * Judges the parameters of a sent message before the SDK decodes them, because it turns what it does not understand
 * into text or an exception. Throws INVALID_ARGUMENT with the path of each mistake, and ContentTypeNotSupportedError for a
 * file; fields no one knows are let pass.
 */
export function checkEnvelope(dialect: Dialect, params: unknown): void {
	const named = withProtocolNames(params);
	refuseFiles(named);
	parseInput(ENVELOPES[dialect], named);
}

/** Parts that the protocol knows and no skill here reads. Throws ContentTypeNotSupportedError. */
function refuseFiles(params: unknown): void {
	const { parts, content = parts } = messageSchema.safeParse(params).data?.message ?? {};
	const place = content?.findIndex(isFile) ?? -1;
	if (place < 0) return;
	throw new ContentTypeNotSupportedError(
		`Part ${place} of the message is a file; this agent reads text and data parts.`,
	);
}

const messageSchema = z.object({
	message: z.object({
		parts: z.array(z.unknown()).optional(),
		content: z.array(z.unknown()).optional(),
	}),
});

function isFile(value: unknown): boolean {
	if (!isRecord(value) || isSet(value["text"]) || isSet(value["data"])) return false;
	const { file = { raw: value["raw"], url: value["url"] } } = value;
	return isRecord(file) && Object.values(file).some((field) => typeof field === "string");
}

/** The same for what JSON-RPC asks about tasks in version 0.3; in 1.0 the SDK's decoder is enough. */
export function checkLegacyTaskParams(method: string, params: unknown): void {
	if (method === LEGACY_METHOD_PUSH_NOTIFICATION_CONFIG_SET) parseInput(pushParams, params);
	else if (method.startsWith("tasks/")) parseInput(taskParams, params);
}

/** Levels the protocols wrap around a skill's input: request, params, message, parts, part, data, data, input. */
export const ENVELOPE_LEVELS = 8;

/** The bound on nesting that JSON is read within, for what came as a protocol buffer. Throws INVALID_ARGUMENT. */
export function assertShallow(value: unknown, levelsMax: number): void {
	if (isShallow(value, levelsMax)) return;
	throw invalidArgument(`The request is nested deeper than ${levelsMax} levels.`);
}

function isShallow(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null || value instanceof Uint8Array) return true;
	return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}

/** What is wrong at one place of a message that the envelope leaves open. */
export function invalidMessage(path: string, message: string): ServiceError {
	return invalidArgument(`The message is not valid: "${path}" ${message}.`, {
		details: [{ path, message }],
	});
}

const ID = /^[A-Za-z0-9._:-]{1,128}$/;
const ID_RULE = "must have 1 to 128 letters, digits or . _ : -";
const id = z.string().regex(ID, ID_RULE);
/** Some writers send an empty string where they mean nothing. */
const idOrNothing = z
	.string()
	.refine((value) => value === "" || ID.test(value), ID_RULE)
	.nullish();
const strings = z.array(z.string()).nullish();
const flag = z.boolean().nullish();
const fields = z.looseObject({});

const TEXT_OR_DATA = "must be a text part or a data part";

const part = z
	.looseObject({ text: z.string().nullish(), metadata: fields.nullish() })
	.refine((value) => {
		const kinds = ["text", "raw", "url", "data"].filter((kind) => isSet(value[kind]));
		return kinds.length === 1 && (kinds[0] === "text" || kinds[0] === "data");
	}, TEXT_OR_DATA);

const legacyPart = z.discriminatedUnion(
	"kind",
	[
		z.looseObject({ kind: z.literal("text"), text: z.string(), metadata: fields.nullish() }),
		z.looseObject({ kind: z.literal("data"), data: fields, metadata: fields.nullish() }),
	],
	{ error: TEXT_OR_DATA },
);

const legacyRestPart = z
	.looseObject({ text: z.string().nullish(), data: z.looseObject({ data: fields }).nullish() })
	.refine(({ text, data, file }) => !isSet(file) && isSet(text) !== isSet(data), TEXT_OR_DATA);

const pushConfig = z
	.looseObject({
		authentication: z.looseObject({ schemes: strings }).nullish(),
	})
	.nullish();

const taskParams = z.looseObject({ id: z.string() });
const pushParams = z.looseObject({
	taskId: z.string(),
	pushNotificationConfig: z.looseObject({ url: z.string() }),
});

const configuration = z
	.looseObject({
		acceptedOutputModes: strings,
		historyLength: z.int().min(0, "must not be negative").nullish(),
		blocking: flag,
		returnImmediately: flag,
		pushNotification: pushConfig,
		pushNotificationConfig: pushConfig,
		taskPushNotificationConfig: pushConfig,
	})
	.nullish();

const messageFields = {
	messageId: id,
	contextId: idOrNothing,
	taskId: idOrNothing,
	metadata: fields.nullish(),
	extensions: strings,
	referenceTaskIds: z.array(id).nullish(),
};
const user = z.literal(["ROLE_USER", 1], { error: 'must be "ROLE_USER"' });
const legacyUser = z.literal("user", { error: 'must be "user"' });
const some = <P extends z.ZodType>(item: P) => z.array(item).min(1, "must have at least one part");

const ENVELOPES = {
	"1.0": toEnvelope({ ...messageFields, role: user, parts: some(part) }),
	"0.3": toEnvelope({ ...messageFields, role: legacyUser, parts: some(legacyPart) }),
	"0.3 HTTP+JSON": toEnvelope({ ...messageFields, role: user, content: some(legacyRestPart) }),
} satisfies Record<Dialect, z.ZodType>;

function toEnvelope(message: z.ZodRawShape) {
	return z.looseObject({
		message: z.looseObject(message),
		configuration,
		metadata: fields.nullish(),
	});
}

/** The names of the protocol's own definition, which its JSON may use as well, and what the SDK reads them as. */
const NAMES: ReadonlyMap<string, string> = new Map([
	["request", "message"],
	["message_id", "messageId"],
	["context_id", "contextId"],
	["task_id", "taskId"],
	["reference_task_ids", "referenceTaskIds"],
	["accepted_output_modes", "acceptedOutputModes"],
	["history_length", "historyLength"],
	["return_immediately", "returnImmediately"],
	["push_notification", "pushNotification"],
	["task_push_notification_config", "taskPushNotificationConfig"],
]);

function withProtocolNames(params: unknown): unknown {
	const renamed = rename(params);
	if (!isRecord(renamed)) return renamed;
	const { message, configuration: wishes } = renamed;
	return { ...renamed, message: rename(message), configuration: rename(wishes) };
}

function rename(value: unknown): unknown {
	if (!isRecord(value)) return value;
	const renamed = { ...value };
	for (const [given, name] of NAMES) {
		if (!isSet(renamed[name]) && isSet(value[given])) renamed[name] = value[given];
	}
	return renamed;
}

function isSet(value: unknown): boolean {
	return value !== undefined && value !== null;
}
