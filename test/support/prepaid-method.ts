import { Credential, Method, z } from "mppx";

/** The prepaid method as a caller of mppx defines it: the proof is the token. */
export const prepaidMethod = (token: string) =>
	Method.toClient(
		Method.from({
			name: "tollgraph",
			intent: "charge",
			schema: {
				credential: { payload: z.object({ token: z.string() }) },
				request: z.object({ amount: z.string(), currency: z.string(), decimals: z.number() }),
			},
		}),
		{
			createCredential: async ({ challenge }) =>
				Credential.serialize(Credential.from({ challenge, payload: { token } })),
		},
	);
