import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import express, { type RequestHandler } from "express";
import { invalidSetting } from "../kernel/kernel.js";

/** Runs before the first paint and takes over the theme that a reader chose, so that nothing flashes. */
const THEME_SCRIPT =
	'try{const t=localStorage.getItem("theme");if(t)document.documentElement.dataset.theme=t}catch{}document.documentElement.classList.add("js")';

export type PageAssets = ReturnType<typeof openPageAssets>;

/** Styles and scripts of the pages as the build made them; their names change with their content, so they are kept for good. */
export function openPageAssets(packageRoot: string) {
	const folder = join(packageRoot, "dist", "web");
	const list = join(folder, "assets.json");
	if (!existsSync(list)) {
		throw invalidSetting("The styles and scripts of the pages are not built; run `npm run build`.");
	}
	const names = JSON.parse(readFileSync(list, "utf8")) as Readonly<
		Record<string, { readonly file: string; readonly integrity: string } | undefined>
	>;
	const find = (name: string) => {
		const asset = names[name];
		if (asset) return { address: `/assets/${asset.file}`, integrity: asset.integrity };
		throw new Error(`The build made no "${name}".`);
	};
	const themeHash = createHash("sha256").update(THEME_SCRIPT).digest("base64");
	return {
		themeScript: THEME_SCRIPT,
		/** Content-Security-Policy of every page: files of this server, and the one script that stands in it. */
		policy: toPolicy({ scripts: `'self' 'sha256-${themeHash}'` }),
		/** That of pages without a script, whose forms may lead on to other places. */
		quietPolicy: (formTargets: readonly string[] = []) => toPolicy({ formTargets }),
		find,
		/** What the build made of a source. */
		read: (name: string) => readFileSync(join(folder, basename(find(name).address)), "utf8"),
		serve: express.static(folder, {
			immutable: true,
			maxAge: "1y",
			index: false,
			redirect: false,
		}) as RequestHandler,
	};
}

function toPolicy({
	scripts,
	formTargets = [],
}: {
	readonly scripts?: string;
	readonly formTargets?: readonly string[];
}): string {
	return [
		"default-src 'none'",
		...(scripts === undefined
			? []
			: [`script-src ${scripts}`, "worker-src 'self'", "connect-src 'self'"]),
		"style-src 'self'",
		"img-src 'self' data:",
		"base-uri 'none'",
		// Some browsers hold the redirects that follow a form to the same list.
		`form-action ${["'self'", ...formTargets].join(" ")}`,
		"frame-ancestors 'none'",
	].join("; ");
}
