import t from "tap";
import { toHex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { createEvmClient, createEvmRpc } from "../../../payments/evm/evm-client.js";
import { createEvmWallet } from "../../../payments/evm/evm-wallet.js";
import { createSendingTurns } from "../../../payments/evm/sending-turns.js";
import type { Hex } from "../../../payments/onchain/facilitator.js";
import { createConfiguredEgress } from "../../../src/delivery/configured-egress.js";
import { systemClock as clock } from "../../../src/kernel/clock.js";
import { openPostgresStore } from "../../../store/postgres/postgres.js";
import { startPostgres, WITHOUT_POSTGRES } from "../../support/postgres-cluster.js";
import { times } from "../../support/times.js";
import { createWallet, startLocalChain, withoutChain } from "./local-chain.js";

const NETWORK = "eip155:84532";
const EACH = 8;

t.test(
	"processes that send with one key take turns, so that no nonce is used twice",
	{ skip: WITHOUT_POSTGRES || withoutChain },
	async (t) => {
		const local = await startLocalChain(t);
		const cluster = await startPostgres();
		t.teardown(() => cluster.stop());
		const rpc = createEvmRpc({
			egress: createConfiguredEgress({ loopback: true }),
			url: local.rpcUrl,
		});
		const getClient = createEvmClient({ rpc, network: NETWORK });
		const privateKey = generatePrivateKey();
		const open = async () => {
			const store = await openPostgresStore({ url: cluster.url, schema: "shop", clock });
			t.teardown(() => store.close());
			const turns = createSendingTurns({ store, clock });
			const wallet = createEvmWallet({
				...{ rpc, getClient, network: NETWORK, privateKey, clock, pollIntervalMs: 5, turns },
			});
			return { store, wallet };
		};
		const processes = [await open(), await open(), await open()] as const;
		const [{ store, wallet }] = processes;
		await rpc.get("anvil_setBalance", [await wallet.address(), toHex(10n ** 18n)]);
		const address = await wallet.address();
		// One that died in its turn.
		await store.transaction((tx) =>
			tx.put("leaders", { id: `sends with ${address}`, processId: "proc_ended" }),
		);
		await rpc.get("evm_setAutomine", [false]);
		const nonces: number[] = [];
		const onSigned = async (_: Hex, nonce: number) => void nonces.push(nonce);
		const sent = await Promise.all(
			processes.flatMap(({ wallet }) =>
				times(EACH, () => wallet.send({ to: createWallet().address, data: "0x", onSigned })),
			),
		);
		await rpc.get("evm_setAutomine", [true]);
		await rpc.get("evm_mine");
		const all = Array.from({ length: sent.length }, (_, nonce) => nonce);
		t.same(nonces, all, "each number once, in turn");
		for (const hash of sent) t.match(await wallet.receiptOf(hash), { status: "success" });
		const left = await store.read((reader) => reader.list("leaders"));
		t.notOk(left.some(({ id }) => id.endsWith(address)));
	},
);
