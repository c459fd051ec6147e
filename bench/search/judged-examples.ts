/** Questions without judged rows, which show the judge what can be answered. Never worded after the fresh ones, though the examples of each graph were written after the first report on those. */

/** What people ask assistants and no graph of the catalog answers. */
export const EVERYDAY = [
	"how long should rice soak before cooking",
	"is it safe to take ibuprofen with coffee",
	"what time is sunset in Lisbon today",
	"write a birthday poem for my grandmother",
	"teach a parrot to talk",
	"average rent of a two room flat in Vienna",
	"how high is the Eiffel Tower",
	"best exercises against back pain",
	"who composed the Moonlight Sonata",
	"polish scratches out of a wooden table",
	"when do the summer holidays start",
	"plot summary of the first season",
	"convert cups of flour to grams",
	"causes of the French revolution",
	"change a flat bicycle tyre",
	"cheapest hotels near the airport",
	"how do bees make honey",
	"ideas for a wedding speech",
	"rash on the arm of a toddler",
	"how much water should I drink each day",
	"population of Argentina",
	"rules of chess for beginners",
	"repot an orchid after it has bloomed",
	"mortgage interest over thirty years",
	"how do I fold a fitted sheet",
	"block of cheese went mouldy, is it still good",
	"my gas bill doubled this winter",
	"address of the nearest post office",
	"which nodes of a tomato plant should I pinch off",
	"how do whales stay together in a pod",
	"how often should I rotate the tyres of my car",
	"hash browns without eggs",
	"seven letter word for a stubborn animal",
	"how do I draft a will",
	"can I freeze cooked pasta",
	"does the library charge for a late book",
	"what does a merchant banker do all day",
	"memory loss in old age",
	"how do I register a newborn child",
	"who was the first person on the moon",
	"why is the sky blue",
	"stop a tap from dripping",
	"what is on at the cinema tonight",
	"vaccinations for a trip to Kenya",
	"how do I request a day off",
	"which side of the road do they drive on in Japan",
	"crossword clue: river in Siberia",
	"how much does a new kitchen cost",
	"my connecting flight was cancelled",
] as const;

interface AskedOfGraph {
	/** Asked in other words than the graph's, which answers nevertheless. */
	readonly answered: readonly string[];
	/** On its subject, and not in it. */
	readonly unanswered: readonly string[];
}

/** Of each graph, by its id: what distinguishes a question in other words from one about something else of the same subject. */
export const ASKED_OF_GRAPHS: Readonly<Record<string, AskedOfGraph>> = {
	"agent-payments": {
		answered: [
			"which check proves that the money really arrived",
			"prove to a server that I hold the key and did not just copy a secret",
			"stop one lost reply from costing the buyer double",
			"shop page asks the browser to collect card details",
		],
		unanswered: [
			"who founded the company behind the facilitator",
			"how many merchants accept such payments today",
			"average settlement time in seconds per network",
			"which exchange lists the token",
		],
	},
	"agent-protocols": {
		answered: [
			"split a long list of hyperlinks off into a file",
			"keep bots away from some folders of a site",
			"may a helper program pass my login on to the next one",
			"number for a method that does not exist",
		],
		unanswered: [
			"which editors ship support for tools by default",
			"how much does it cost to host a tool server",
			"who votes on changes to the protocol",
			"unit test a tool with a mocked model",
		],
	},
	"api-design-desk": {
		answered: [
			"give clients a way out when the address gets too long",
			"two workers saved the same form, whose change survives",
			"tell robots from people who read release notes that a method goes away",
			"what goes into a failure body besides the number",
		],
		unanswered: [
			"which team should own the gateway",
			"how many endpoints are too many",
			"plural or singular nouns in paths",
			"average latency budget of a read",
		],
	},
	"cryptography-standards": {
		answered: [
			"same message, same signature, no dice at signing time",
			"lock a file for somebody whose public half I have",
			"squeeze as many bytes as I like out of one digest",
			"who decides which issuer may serve my domain",
		],
		unanswered: [
			"who broke the hash first and when",
			"which country restricts export of these ciphers",
			"how many watts does signing take on a card",
			"license of the reference implementation",
		],
	},
	"ethereum-standards": {
		answered: [
			"lock that forgets itself when the call is over",
			"how do two chains keep each other's transfers apart",
			"what part of the fee vanishes for good",
			"ask a contract what it can do before calling",
		],
		unanswered: [
			"how many accounts hold more than one coin",
			"which pool has the most stake",
			"who proposed the name of the upgrade",
			"how much disk space does an archive node need",
		],
	},
	"exploited-vulnerabilities": {
		answered: [
			"logging library that fetched code from strangers",
			"chat about cameras and routers that obey typed orders",
			"why do mail gateways let attackers read letters",
			"domain controller taken over without a password",
		],
		unanswered: [
			"which insurer pays after such an attack",
			"names of the gangs behind the campaigns",
			"how long did vendors take to publish a fix",
			"share of victims by country",
		],
	},
	"http-web-standards": {
		answered: [
			"how do eight bits per letter become more for foreign scripts",
			"proxy chain rewrote who the visitor is",
			"change one field without sending everything",
			"two lengths in one message and parsers that disagree",
		],
		unanswered: [
			"which browsers support it since which version",
			"how many servers still answer the old protocol",
			"who chairs the working group",
			"maximum cookie size in bytes",
		],
	},
	"javascript-and-rust-evolution": {
		answered: [
			"a crash in C code must not run through our stack",
			"ask for a module only when the user clicks",
			"sum many decimals without drift",
			"new words in the grammar and programs of yesterday",
		],
		unanswered: [
			"which companies fund the language team",
			"fastest web framework in either language",
			"how many engineers attend the meetings",
			"best editor plugin for refactoring",
		],
	},
	"kubernetes-enhancements": {
		answered: [
			"controller floods the server while nodes starve",
			"who owns a field when two tools write it",
			"give two containers a helper that outlives neither",
			"why were old credentials in pods dangerous",
		],
		unanswered: [
			"how many clusters run in production worldwide",
			"which vendor employs most reviewers",
			"monthly price of a hosted cluster",
			"alert rules for a dashboard",
		],
	},
	"public-companies": {
		answered: [
			"maker of the iPhone punished by Brussels for its store",
			"planemaker buys the firm that builds its fuselages",
			"which accounting firm signs for the card network from San Francisco",
			"streaming service that cannot easily leave its cloud",
		],
		unanswered: [
			"share price of Boeing at the close yesterday",
			"who will lead Nike in five years",
			"salary of a cashier at Home Depot",
			"how many patents does IBM hold in Japan",
		],
	},
	"python-evolution": {
		answered: [
			"who took over when the founder stepped back",
			"compile an add-on once and keep it for years",
			"describe the keys of a plain dict for the checker",
			"why did moving from two to three take so long",
		],
		unanswered: [
			"how many downloads has the installer each day",
			"which linter do most projects use",
			"where will the next conference take place",
		],
	},
	"transport-security-desk": {
		answered: [
			"old ticket secrets let somebody read past sessions",
			"the library trusts the chain but never looks at the host",
			"replayed first flight could buy twice",
			"locking visitors out for months by pinning",
		],
		unanswered: [
			"which authority issues the cheapest certificates",
			"how many handshakes a second does a core manage",
			"who audited the library last year",
			"configure the load balancer in the console",
		],
	},
	"vector-retrieval": {
		answered: [
			"keep the front of a vector and drop the tail",
			"does it help to glue unrelated pages to the question",
			"skip the search when the model knows",
			"which test collection covers a hundred languages",
		],
		unanswered: [
			"how much memory does a hosted index cost a month",
			"who wrote the library in which year",
			"carbon footprint of training an encoder",
			"how many people labelled the passages",
		],
	},
};
