/** What is read before anything is bought. */
const DOCUMENTS = [
	"/",
	"/openapi.json",
	"/docs",
	"/llms.txt",
	"/llms-full.txt",
	"/robots.txt",
	"/sitemap.xml",
	"/.well-known/agent-card.json",
	"/.well-known/jwks.json",
	"/.well-known/x402",
	"/.well-known/api-catalog",
	"/.well-known/security.txt",
	"/.well-known/oauth-authorization-server",
	"/.well-known/openid-configuration",
	"/.well-known/oauth-protected-resource",
	"/.well-known/oauth-protected-resource/mcp",
	"/.well-known/oauth-protected-resource/chatgpt",
	"/.well-known/oauth-protected-resource/copilot",
	"/oauth/jwks",
];
const AS_MARKDOWN = ["/", "/docs", "/v1/graphs/agent-payments", "/v1/graphs/catalog"];

export async function readDocuments({ send, openapi }) {
	for (const path of DOCUMENTS) await send(`documents ${path}`, { path });
	for (const path of AS_MARKDOWN) {
		await send(`documents ${path} in Markdown`, { path, headers: { Accept: "text/markdown" } });
		await send(`documents ${path} for a browser`, { path, headers: { Accept: "text/html" } });
	}
	for (const version of ["0.3", "1.0"]) {
		const headers = { "A2A-Version": version };
		const path = "/.well-known/agent-card.json";
		await send(`documents ${path} of ${version}`, { path, headers });
	}
	for (const path of ["/openapi.json", "/v1/version", "/.well-known/agent-card.json"]) {
		await send(`documents HEAD ${path}`, { method: "HEAD", path });
		await send(`documents OPTIONS ${path}`, {
			method: "OPTIONS",
			path,
			headers: { Origin: "https://agent.example", "Access-Control-Request-Method": "POST" },
		});
	}
	for (const name of schemaNames(openapi)) {
		await send(`schema ${name}`, { path: `/v1/schemas/${name}` });
	}
}

/** Names that are served and names that are only used within the document are distinguished by the replies. */
function schemaNames({ paths, components }) {
	const parameter = paths["/v1/schemas/{name}"]?.get.parameters.find(({ name }) => name === "name");
	const listed = parameter?.schema?.enum ?? [];
	return [...new Set([...listed, ...Object.keys(components.schemas ?? {})])].sort();
}
