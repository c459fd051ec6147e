/** Tools whose schemas hold what a server must pass on untouched. */
export const SCHEMA_TOOLS = [
	{
		name: "json_schema_2020_12_tool",
		inputSchema: {
			$schema: "https://json-schema.org/draft/2020-12/schema",
			type: "object",
			$defs: {
				address: {
					$anchor: "addressDef",
					type: "object",
					properties: { street: { type: "string" }, city: { type: "string" } },
				},
			},
			properties: {
				name: { type: "string" },
				address: { $ref: "#/$defs/address" },
				contactMethod: { type: "string", enum: ["phone", "email"] },
				phone: { type: "string" },
				email: { type: "string" },
			},
			allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
			if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
			// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
			then: { required: ["phone"] },
			else: { required: ["email"] },
			additionalProperties: false,
		},
	},
] as const;
