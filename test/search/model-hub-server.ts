import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";

/** A model hub on loopback, as far as one model is fetched from it. */
export interface HubServer {
	readonly origin: string;
	/** Paths that were asked for, in order. */
	readonly asked: readonly string[];
	/** Changes what the next request gets; undefined: the hub's own answer. */
	misbehave(how: Misbehavior | undefined): void;
}

type Misbehavior = (request: IncomingMessage, response: ServerResponse) => boolean;

export const REVISION = "0123456789abcdef0123456789abcdef01234567";

/** Serves `files` as the model `owner/name`; large ones are kept elsewhere, as the hub does. */
export async function startHub(
	t: Test,
	id: string,
	files: Readonly<Record<string, string | Uint8Array>>,
): Promise<HubServer> {
	const asked: string[] = [];
	let misbehavior: Misbehavior | undefined;
	const contents = new Map(
		Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]),
	);
	const server = createServer((request, response) => {
		const path = request.url ?? "";
		asked.push(path);
		if (misbehavior?.(request, response)) return;
		if (path === `/api/models/${id}?blobs=true`) {
			const siblings = [...contents].map(([name, content]) => describe(name, content));
			const reply = { sha: REVISION, cardData: { license: "mit" }, siblings };
			return void response.end(JSON.stringify(reply));
		}
		const name = path.split(`/${id}/resolve/${REVISION}/`)[1];
		const content = contents.get(name ?? path.replace("/kept/", ""));
		if (!content) return void response.writeHead(404).end();
		if (name?.endsWith(".onnx")) {
			return void response.writeHead(302, { Location: `/kept/${name}` }).end();
		}
		response.end(content);
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	return {
		origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		asked,
		misbehave(how) {
			misbehavior = how;
		},
	};
}

function describe(name: string, content: Buffer): object {
	const size = content.length;
	const sha256 = createHash("sha256").update(content).digest("hex");
	if (name.endsWith(".onnx")) return { rfilename: name, size, lfs: { sha256, size } };
	const blobId = createHash("sha1").update(`blob ${size}\0`).update(content).digest("hex");
	return { rfilename: name, size, blobId };
}
