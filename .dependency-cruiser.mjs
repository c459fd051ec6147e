/**
 * The order of the rooms, lowest first: a room imports only rooms that stand before it. A new room takes its place here.
 */
const ROOMS = `
	src/kernel src/contract
	store store/journal store/postgres
	src/documents src/knowledge src/delivery src/artifacts src/search src/evidence
	payments payments/spt payments/plan payments/onchain payments/evm payments/x402 payments/mpp payments/refunds payments/audit
	src/http src/webhooks src/jobs
	skills/search skills/graphs skills/articles skills/entities skills/trends skills/models skills/verify skills/answers skills/feeds
	skills/experts skills/analysts skills/brands skills/dossiers skills/stream skills/chat skills/deep-dive skills/briefings
	src/accounts src/sales src/chain src/settings src/operator src/telemetry src/service
	agent-card src/rest src/a2a src/mcp src/oauth src/web src/admin
	src/app src/cli src
`
	.trim()
	.split(/\s+/);

/** Rooms whose subfolders are rooms of their own: what lies in the folder itself. */
const HAS_ROOMS_INSIDE = new Set(["store", "payments", "src"]);
const PARTS = ["store/rows"];

const escaped = (path) => path.replaceAll("/", "\\/");
const filesOf = (room) =>
	HAS_ROOMS_INSIDE.has(room)
		? `^${escaped(room)}\\/(?:${PARTS.filter((part) => part.startsWith(`${room}/`))
				.map((part) => `${part.slice(room.length + 1)}\\/`)
				.concat("")
				.join("|")})[^/]+$`
		: `^${escaped(room)}\\/`;

const anyOf = (rooms) => rooms.map(filesOf).join("|");

const layers = ROOMS.slice(0, -1).map((room, place) => ({
	name: `${room}-imports-lower-rooms-only`,
	severity: "error",
	from: { path: filesOf(room) },
	to: { path: anyOf(ROOMS.slice(place + 1)) },
}));

/** A room's door: the one file that other rooms import. */
const doorOf = (room) => `^${escaped(room)}\\/${room.split("/").at(-1)}\\.ts$`;

const doors = ROOMS.slice(0, -1).map((room) => ({
	name: `${room}-is-entered-by-its-door`,
	severity: "error",
	from: {
		path: "^(src|skills|payments|store|agent-card)/",
		// The catalog of operations is generated from their files. Browsers take single files, where a door brings Node along.
		pathNot: `${filesOf(room)}|^src\\/service\\/operations\\.ts$|^src\\/web\\/ui\\/`,
	},
	to: { path: filesOf(room), pathNot: doorOf(room) },
}));

const TRANSPORTS = "rest|a2a|mcp|oauth|web|admin";

export default {
	forbidden: [
		...layers,
		...doors,
		{
			name: "no-circle-between-folders",
			severity: "error",
			scope: "folder",
			from: {},
			to: { circular: true },
		},
		{ name: "no-circular", severity: "error", from: {}, to: { circular: true } },
		{
			name: "every-file-stands-in-a-room",
			severity: "error",
			from: { path: "^(src|skills|payments|store|agent-card)/", pathNot: anyOf(ROOMS) },
			to: {},
		},
		{
			name: "kernel-is-pure",
			comment: "It imports itself, Node, and libraries without effects.",
			severity: "error",
			from: { path: "^src/kernel/" },
			to: { path: "^node_modules/(?!(?:lru-cache|zod)/)" },
		},
		{
			name: "transports-are-siblings",
			comment: "They share the service, never each other.",
			severity: "error",
			from: { path: `^src/(${TRANSPORTS})/` },
			to: { path: `^src/(${TRANSPORTS})/`, pathNot: "^src/$1/" },
		},
		{
			name: "skills-know-no-money-no-transport",
			comment: "A skill sees its input and its context.",
			severity: "error",
			from: { path: "^skills/" },
			to: { path: "^(payments/|src/http/|node_modules/express/)" },
		},
		{
			name: "journal-is-opened-by-the-app",
			comment: "Everybody else sees the store's port.",
			severity: "error",
			from: { pathNot: "^(store/journal/|src/(app|operator|cli)/|test/|bench/)" },
			to: { path: "^store/journal/" },
		},
		{
			name: "postgres-is-opened-by-the-app",
			comment: "Everybody else sees the store's port; pg is loaded on demand.",
			severity: "error",
			from: { pathNot: "^(store/postgres/|src/(app|operator|cli)/|test/|bench/)" },
			to: { path: "^(store/postgres/|node_modules/(pg|@types/pg)/)" },
		},
		{
			name: "viem-and-x402-in-one-place",
			comment: "They take a third of a second to load: behind payments/evm, and on demand.",
			severity: "error",
			from: { pathNot: "^(payments/(evm|x402)/|src/app/|test/|bench/)" },
			to: { path: "^node_modules/(viem|@x402)/" },
		},
		{
			name: "oidc-provider-in-one-place",
			comment: "It takes a fifth of a second to load: behind src/oauth, and on demand.",
			severity: "error",
			from: { pathNot: "^(src/oauth/|test/)" },
			to: { path: "node_modules/(@types/)?oidc-provider/" },
		},
		{
			name: "opentelemetry-in-one-place",
			comment: "It takes a fifth of a second to load: behind src/telemetry, and on demand.",
			severity: "error",
			from: { pathNot: "^(src/telemetry/|test/)" },
			to: { path: "node_modules/@opentelemetry/" },
		},
		{
			name: "express-only-in-transports",
			severity: "error",
			from: { pathNot: `^(src/(${TRANSPORTS}|http|app)/|test/|bench/)` },
			to: { path: "node_modules/(@types/)?express/" },
		},
	],
	options: {
		doNotFollow: { path: "node_modules" },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: "tsconfig.json" },
		enhancedResolveOptions: {
			exportsFields: ["exports"],
			conditionNames: ["import", "node", "default", "types"],
		},
	},
};
