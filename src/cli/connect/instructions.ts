/** Who gives clients access by OAuth: the server itself, nobody, or another authorization server. */
export type Access = "own" | "off" | "other";

/** What a client connects to. */
export interface Endpoint {
	/** How the client lists it. */
	readonly name: string;
	/** Address with path and graph, e.g. `https://api.example.org/mcp?graph=tides`. */
	readonly address: string;
	readonly access: Access;
}

/** What its owner does: writes `config` to `file`, runs `command`, or goes through the steps. */
export interface Instructions {
	readonly file?: string;
	/** An object is JSON; a text is what the file wants. */
	readonly config?: object | string;
	readonly command?: string;
	readonly steps?: readonly string[];
	/** What else is worth knowing. */
	readonly notes: readonly string[];
}
