import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { z } from "zod";
import { LIMITS } from "../../contract/contract.js";
import { type Egress, notFound, ServiceError, unavailable } from "../../kernel/kernel.js";

/** One file of a repository on the hub, with the digest the hub reports. */
export interface HubFile {
	readonly name: string;
	readonly bytes: number;
	/** Of the content; small files have only the git object's. */
	readonly sha256: string | undefined;
	readonly gitSha1: string | undefined;
}

/** A repository at one commit. */
export interface HubModel {
	readonly id: string;
	readonly revision: string;
	readonly licence: string | undefined;
	readonly files: readonly HubFile[];
}

export type ModelHub = ReturnType<typeof createModelHub>;

interface Download {
	readonly model: HubModel;
	readonly target: string;
	readonly onBytes: (count: number) => void;
}

const hubReply = z.looseObject({
	sha: z.string().regex(/^[0-9a-f]{40}$/),
	cardData: z.looseObject({ license: z.unknown() }).nullish().catch(undefined),
	siblings: z.array(
		z.looseObject({
			rfilename: z.string(),
			size: z.int().nonnegative().nullish(),
			blobId: z.string().nullish(),
			lfs: z.looseObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), size: z.int() }).nullish(),
		}),
	),
});

const REDIRECTS_MAX = 5;

/** The hub's public interface (https://huggingface.co/docs/hub/api), without an account. */
export function createModelHub(egress: Egress, origin: string) {
	return {
		/** Throws NOT_FOUND for a model that is not public, UPSTREAM for a reply that cannot be read. */
		async describe(id: string): Promise<HubModel> {
			const url = `${origin}/api/models/${id}?blobs=true`;
			const response = await follow(egress, url, LIMITS.rpcTimeoutMs);
			if (response.status !== 200) {
				await response.body?.cancel();
				throw refusalOf(id, response.status);
			}
			return toModel(id, await readBounded(response));
		},
		/** Writes one file and returns its sha256. Throws UPSTREAM unless it is, byte for byte, what `describe` reported. */
		async download(file: HubFile, { model, target, onBytes }: Download): Promise<string> {
			const path = file.name.split("/").map(encodeURIComponent).join("/");
			const url = `${origin}/${model.id}/resolve/${model.revision}/${path}`;
			const response = await follow(egress, url, LIMITS.modelFetchTimeoutMs);
			if (response.status !== 200) {
				await response.body?.cancel();
				throw upstream(`The model hub answered ${response.status} to ${file.name} of ${model.id}.`);
			}
			return await writeChecked(response, file, { target, onBytes });
		},
	};
}

/** GETs an address and those it is sent on to; the egress decides about each. */
async function follow(egress: Egress, start: string, timeoutMs: number): Promise<Response> {
	let url = start;
	for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
		const response = await egress.request({ method: "GET", url, timeoutMs });
		const location = response.headers.get("location");
		if (response.status < 300 || response.status > 399 || location === null) return response;
		await response.body?.cancel();
		if (!URL.canParse(location, url)) throw upstream("The model hub redirects to no address.");
		url = new URL(location, url).href;
	}
	throw upstream("The model hub redirects in circles.");
}

function toModel(id: string, text: string): HubModel {
	let reply: z.infer<typeof hubReply>;
	try {
		reply = hubReply.parse(JSON.parse(text));
	} catch (cause) {
		throw upstream(`The model hub's description of ${id} cannot be read.`, cause);
	}
	const licence = reply.cardData?.license;
	return {
		id,
		revision: reply.sha,
		licence: typeof licence === "string" ? licence.slice(0, 100) : undefined,
		files: reply.siblings.map(({ rfilename, size, blobId, lfs }) => ({
			name: rfilename,
			bytes: lfs?.size ?? size ?? 0,
			sha256: lfs?.sha256,
			gitSha1: lfs || !blobId ? undefined : blobId,
		})),
	};
}

async function readBounded(response: Response): Promise<string> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of bodyOf(response)) {
		length += chunk.byteLength;
		if (length > LIMITS.configuredReplyBytes) throw upstream("The model hub's reply is too long.");
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

async function writeChecked(
	response: Response,
	file: HubFile,
	{ target, onBytes }: Pick<Download, "target" | "onBytes">,
): Promise<string> {
	const sha256 = createHash("sha256");
	const git = createHash("sha1").update(`blob ${file.bytes}\0`);
	const output = await open(target, "wx", 0o600);
	let bytes = 0;
	try {
		for await (const chunk of bodyOf(response)) {
			bytes += chunk.byteLength;
			if (bytes > file.bytes) break;
			sha256.update(chunk);
			git.update(chunk);
			await output.appendFile(chunk);
			onBytes(chunk.byteLength);
		}
		await output.sync();
	} finally {
		await output.close();
	}
	const found = sha256.digest("hex");
	const isWhole = bytes === file.bytes && (file.sha256 ?? found) === found;
	if (isWhole && (file.gitSha1 === undefined || file.gitSha1 === git.digest("hex"))) return found;
	throw upstream(`${file.name} did not arrive as the model hub describes it; fetch it again.`);
}

/** Its pieces. Throws UNAVAILABLE when the connection breaks. */
async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
	try {
		for await (const chunk of response.body ?? []) yield chunk;
	} catch (cause) {
		throw unavailable("The connection to the model hub broke off.", { cause });
	}
}

function refusalOf(id: string, status: number): ServiceError {
	if (status === 404) return notFound(`The model hub knows no model ${id}.`);
	if (status !== 401 && status !== 403) {
		return upstream(`The model hub answered ${status} to the question for ${id}.`);
	}
	return notFound(
		`The model ${id} is not there, or not without an account: check the id, or download it yourself and use local:<folder>.`,
	);
}

function upstream(message: string, cause?: unknown): ServiceError {
	return new ServiceError("UPSTREAM", message, { cause });
}
