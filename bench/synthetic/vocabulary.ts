/** What synthetic graphs seem to speak of: fields of work, each with subjects of its own, and words that any of them may use. */

export interface Field {
	readonly name: string;
	readonly subjects: readonly string[];
}

export const FIELDS: readonly Field[] = [
	field("tidal power", "turbine blades, tidal lagoons, seabed anchors, mooring lines, slack water"),
	field("heat pumps", "ground loops, compressors, defrost cycles, buffer tanks, refrigerants"),
	field(
		"railway signalling",
		"track circuits, axle counters, interlockings, level crossings, balises",
	),
	field(
		"bridge inspection",
		"expansion joints, stay cables, bearing pads, scour holes, deck plates",
	),
	field("grain storage", "aeration fans, silo walls, moisture probes, fumigation, spoilage moulds"),
	field(
		"cold chains",
		"reefer containers, temperature loggers, dry ice, thaw events, pallet covers",
	),
	field("port logistics", "quay cranes, yard blocks, berth windows, drayage trucks, gate queues"),
	field("water treatment", "sand filters, chlorine residuals, membranes, sludge, coagulants"),
	field("urban drainage", "storm tanks, culverts, permeable paving, overflow weirs, rain gauges"),
	field("battery recycling", "black mass, electrolytes, cell sorting, leaching, cathode powders"),
	field("wind farms", "nacelles, pitch bearings, wake losses, blade icing, substations"),
	field("protein assays", "binding curves, buffers, reagent lots, plate readers, blanks"),
	field(
		"satellite links",
		"ground stations, link budgets, rain fade, antenna pointing, transponders",
	),
	field("machine vision", "lens distortion, lighting rigs, label noise, frame grabbers, occlusion"),
	field("packet routing", "route leaks, peering, next hops, flap damping, prefixes"),
	field(
		"identity checks",
		"session tokens, consent screens, key rotation, step-up prompts, revocation",
	),
	field("invoice matching", "purchase orders, credit notes, tolerances, remittances, ledgers"),
	field("card disputes", "chargebacks, evidence packs, reason codes, arbitration, refunds"),
	field("crop insurance", "yield maps, hail claims, loss adjusters, premiums, drought indices"),
	field(
		"museum conservation",
		"varnish layers, humidity cases, pigments, canvas linings, loan reports",
	),
	field(
		"speech therapy",
		"articulation drills, fluency charts, screening tests, home practice, hearing aids",
	),
	field(
		"mountain rescue",
		"avalanche probes, rope systems, casualty bags, search grids, radio relays",
	),
	field("glass furnaces", "crown bricks, batch mixes, cullet, annealing, burner ports"),
	field("textile dyeing", "dye baths, colour fastness, mordants, rinse water, shade cards"),
];

export const QUALITIES: readonly string[] =
	"seasonal regional durable idle nested sparse dense early late shallow deep quiet rapid costly rare common hidden open brittle portable".split(
		" ",
	);

export const TASKS: readonly string[] =
	"inspection sizing calibration scheduling replacement monitoring costing storage testing design repair training auditing forecasting".split(
		" ",
	);

export const VERBS: readonly string[] =
	"limits delays balances predicts measures replaces amplifies follows precedes protects exposes shortens".split(
		" ",
	);

function field(name: string, subjects: string): Field {
	return { name, subjects: subjects.split(", ") };
}
