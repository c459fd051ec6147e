import { connect } from "node:net";
import type { McpShop } from "./start-mcp.js";

/** What comes back for a request that a client library would not send, and that ends before its body does. */
export function overSocket({ baseUrl }: Pick<McpShop, "baseUrl">, head: string): Promise<string> {
	return new Promise((resolve) => {
		let text = "";
		const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
		socket.on("data", (data) => {
			text += data;
			socket.destroy();
		});
		socket.setTimeout(300, () => socket.destroy());
		socket.on("error", () => undefined);
		socket.once("close", () => resolve(text));
		socket.write(`${head}\r\n\r\n{`);
	});
}
