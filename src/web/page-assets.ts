import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
		policy: [
			"default-src 'none'",
			`script-src 'self' 'sha256-${themeHash}'`,
			"style-src 'self'",
			"worker-src 'self'",
			"img-src 'self' data:",
			"connect-src 'self'",
			"base-uri 'none'",
			"form-action 'self'",
			"frame-ancestors 'none'",
		].join("; "),
		find,
		serve: express.static(folder, {
			immutable: true,
			maxAge: "1y",
			index: false,
			redirect: false,
		}) as RequestHandler,
	};
}
