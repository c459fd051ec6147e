import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { request } from "node:https";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Test } from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

/** An example of `examples/deployment`, as it is published. */
export function readExample(name: string): string {
	return readFileSync(join(PACKAGE_ROOT, "examples", "deployment", name), "utf8");
}

/** Whether a program is installed on this machine. */
export function hasProgram(name: string, ...args: string[]): boolean {
	return spawnSync(name, args, { stdio: "ignore" }).error === undefined;
}

/** Where the servers behind the proxy listen. */
export interface Behind {
	readonly port: number;
	readonly grpcPort?: number | undefined;
}

export interface ProxyServer {
	readonly port: number;
	readonly certificate: string;
}

/** nginx with our example, but for addresses, certificate and folders. */
export async function startNginx(t: Test, { port, grpcPort }: Behind): Promise<ProxyServer> {
	const folder = t.testdir();
	const tls = makeCertificate(folder);
	const [front, plain] = [await findFreePort(), await findFreePort()];
	const config = readExample("nginx.conf")
		.replace("listen 443 ", `listen 127.0.0.1:${front} `)
		.replace("listen 80;", `listen 127.0.0.1:${plain};`)
		.replace("127.0.0.1:8402", `127.0.0.1:${port}`)
		.replace("127.0.0.1:8403", `127.0.0.1:${grpcPort ?? 9}`)
		.replace("/etc/ssl/tollgraph/fullchain.pem", tls.certificate)
		.replace("/etc/ssl/tollgraph/key.pem", tls.key)
		.replace("http {", `http {\n${temporaryFolders(folder)}access_log off;`);
	const path = join(folder, "nginx.conf");
	writeFileSync(path, `daemon off; master_process off; pid ${folder}/pid;\n${config}`);
	const args = ["-p", folder, "-c", path, "-e", "stderr"];
	execFileSync("nginx", [...args, "-t"], { stdio: "pipe" });
	const nginx = spawn("nginx", args, { stdio: "ignore" });
	t.teardown(async () => {
		nginx.kill("SIGKILL");
		await once(nginx, "exit");
	});
	await untilListening(front);
	return { port: front, certificate: tls.certificate };
}

/** Those that nginx was built with may belong to another user. */
function temporaryFolders(folder: string): string {
	return ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
		.map((kind) => `${kind}_temp_path ${folder}/${kind};\n`)
		.join("");
}

function makeCertificate(folder: string): { readonly certificate: string; readonly key: string } {
	const [certificate, key] = [join(folder, "fullchain.pem"), join(folder, "key.pem")];
	const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
	const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
	const files = ["-nodes", "-keyout", key, "-out", certificate];
	execFileSync("openssl", [...made, ...subject, ...files], { stdio: "pipe" });
	return { certificate, key };
}

async function findFreePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as { readonly port: number };
	server.close();
	await once(server, "close");
	return port;
}

async function untilListening(port: number): Promise<void> {
	for (;;) {
		const socket = connect(port, "127.0.0.1");
		const isOpen = await Promise.race([
			once(socket, "connect").then(() => true),
			once(socket, "error").then(() => false),
		]).catch(() => false);
		socket.destroy();
		if (isOpen) return;
		await pause(20);
	}
}

export interface ProxiedCall {
	readonly path: string;
	/** The address on this machine that the call comes from. */
	readonly from?: string;
	readonly headers?: OutgoingHttpHeaders;
}

/** One call through the proxy, up to its headers. */
export async function callThrough({ port, certificate }: ProxyServer, call: ProxiedCall) {
	const { path, from = "127.0.0.1", headers = {} } = call;
	const sent = request({
		host: "127.0.0.1",
		servername: "localhost",
		port,
		path,
		localAddress: from,
		ca: readFileSync(certificate),
		headers: { Host: "api.example.com", ...headers },
		agent: false,
	});
	sent.end();
	const [reply] = (await once(sent, "response")) as [IncomingMessage];
	return reply;
}
