import type { VNode } from "preact";
import type { ServedDocument } from "./artifacts.js";

/** What a page for people says; what stands around it is the same on all pages. */
export interface PageContent {
	readonly title: string;
	readonly description: string;
	/** Its address, from the root on. */
	readonly path: string;
	readonly content: VNode;
	/** Where its forms may lead on to beside this server, as sources of a Content-Security-Policy. */
	readonly formTargets?: readonly string[];
}

/** A page that asks or says one thing, for one reader: it runs no script and no cache keeps it. */
export type RenderPage = (page: PageContent) => Promise<ServedDocument>;
