import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import type { Test } from "tap";

export interface ReceivedMail {
	readonly from: string;
	readonly to: readonly string[];
	/** As it came over the wire. */
	readonly raw: string;
	/** Unfolded, by lower-case name. */
	readonly headers: ReadonlyMap<string, string>;
	/** Decoded parts, by media type. */
	readonly parts: ReadonlyMap<string, string>;
}

export interface MailServer {
	readonly url: string;
	readonly mails: ReceivedMail[];
	/** Answers every mail with this code from now on; 0 takes them. */
	refuseWith(code: number): void;
}

/** A real SMTP server on a loopback port; it is closed when the test ends. */
export async function startMailServer(t: Pick<Test, "teardown">): Promise<MailServer> {
	const mails: ReceivedMail[] = [];
	let refusal = 0;
	const server = new SMTPServer({
		authOptional: true,
		disabledCommands: ["STARTTLS", "AUTH"],
		onData(stream, session, done) {
			const chunks: Buffer[] = [];
			stream.on("data", (chunk: Buffer) => chunks.push(chunk));
			stream.on("end", () => {
				if (refusal > 0) {
					return done(Object.assign(new Error("refused"), { responseCode: refusal }));
				}
				const raw = Buffer.concat(chunks).toString("utf8");
				const { mailFrom, rcptTo } = session.envelope;
				mails.push({
					from: mailFrom ? mailFrom.address : "",
					to: rcptTo.map(({ address }) => address),
					raw,
					...parse(raw),
				});
				done();
			});
		},
	});
	// A sender that was killed leaves its connection.
	server.on("error", () => undefined);
	server.listen(0, "127.0.0.1");
	await once(server.server, "listening");
	t.teardown(() => new Promise<void>((closed) => server.close(() => closed())));
	const { port } = server.server.address() as AddressInfo;
	return {
		url: `smtp://127.0.0.1:${port}`,
		mails,
		refuseWith(code) {
			refusal = code;
		},
	};
}

function parse(raw: string): Pick<ReceivedMail, "headers" | "parts"> {
	const [head = "", ...rest] = raw.split("\r\n\r\n");
	const headers = readHeaders(head);
	const boundary = /boundary="([^"]+)"/.exec(headers.get("content-type") ?? "")?.[1];
	const parts = new Map<string, string>();
	for (const part of boundary ? rest.join("\r\n\r\n").split(`--${boundary}`).slice(1, -1) : []) {
		const [partHead = "", ...body] = part.trimStart().split("\r\n\r\n");
		const partHeaders = readHeaders(partHead);
		const [type = ""] = (partHeaders.get("content-type") ?? "").split(";");
		const encoding = partHeaders.get("content-transfer-encoding") ?? "7bit";
		parts.set(type, decode(body.join("\r\n\r\n"), encoding));
	}
	return { headers, parts };
}

function readHeaders(head: string): Map<string, string> {
	const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
	return new Map(
		lines.map((line) => {
			const colon = line.indexOf(":");
			return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
		}),
	);
}

function decode(body: string, encoding: string): string {
	if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
	if (encoding !== "quoted-printable") return body;
	const bytes = body
		.replace(/=\r\n/g, "")
		.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
	return Buffer.from(bytes, "latin1").toString("utf8");
}
