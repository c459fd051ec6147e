import type { Clock } from "../kernel/kernel.js";
import type { RenderPage } from "./page.js";

/**
 * What operations that are sold run on, wired once by the app (`src/app/services.ts` declares the rest by declaration merging,
 * as its parts are of rooms above this one). An operation asks for what it needs by `Pick<SkillServices, …>`, so that it is
 * tested with those parts alone.
 */
export interface SkillServices {
	readonly clock: Clock;
	/** Public base address without a trailing slash; empty until the server listens. */
	readonly baseUrl: () => string;
}

/** What all other operations run on. */
export interface Services extends SkillServices {
	/** What browsers are answered by operations that people are sent to. */
	readonly renderPage: RenderPage;
}

export interface ServiceInfo {
	/** Software version. */
	readonly version: string;
	/** Public base address without a trailing slash; known once the server listens. */
	readonly baseUrl: () => string;
	/** Base address of the MCP server; null until it is known. */
	readonly mcpUrl: () => string | null;
	readonly profile: "demo" | "production";
	/** Where security reports go, as an address with a scheme; undefined when the operator names none. */
	readonly contact?: string | undefined;
}

/** What an operation answers: the `data` of the envelope. */
export type Json = Record<string, unknown>;
