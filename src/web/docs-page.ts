import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestHandler } from "express";
import type { ServedDocument } from "../contract/contract.js";
import { sendDocument, toDocument } from "../http/http.js";

/** Scripts from here alone, none in the page; the viewer sets styles on its own elements. */
const DOCS_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self' 'unsafe-inline'",
	"connect-src 'self'",
	"img-src 'self' data:",
	"base-uri 'none'",
	"form-action 'self'",
	"frame-ancestors 'none'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tollgraph: interface</title>
<script type="module" src="/docs/rapidoc-min.js"></script>
</head>
<body>
<rapi-doc spec-url="/openapi.json" render-style="read" theme="light" load-fonts="false"
 show-header="false" allow-authentication="true" allow-server-selection="false" persist-auth="false"
 schema-description-expanded="true" use-path-in-nav-bar="true"></rapi-doc>
<noscript>This page needs JavaScript; the description itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
</body>
</html>
`;

/** `/docs`: the interface to read and try, from one page and one script of this server. */
export function createDocsPage(): RequestHandler {
	const page = toDocument("text/html; charset=utf-8", PAGE);
	return (req, res) => {
		res.setHeader("Content-Security-Policy", DOCS_POLICY);
		sendDocument(req, res, page);
	};
}

/** The viewer's script, read at the first request. */
export function createDocsScript(packageRoot: string): RequestHandler {
	let script: ServedDocument | undefined;
	return (req, res) => {
		script ??= toDocument(
			"text/javascript; charset=utf-8",
			readFileSync(join(packageRoot, "vendor", "rapidoc", "rapidoc-min.js")),
		);
		sendDocument(req, res, script);
	};
}
