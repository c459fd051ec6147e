import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import t from "tap";
import { createBodyRoom } from "../../src/rest/request.js";

const openReply = () => new EventEmitter() as ServerResponse;

t.test("large bodies share one room, each until its reply has left", (t) => {
	const takeRoom = createBodyRoom(100);
	const [one, other] = [openReply(), openReply()];
	takeRoom(60, one);
	const refused = { code: "RATE_LIMITED", retryable: true, retryAfterSeconds: 1 };
	t.throws(() => takeRoom(41, other), refused);
	takeRoom(40, other);
	t.throws(() => takeRoom(1, openReply()), refused, "what was refused has taken nothing");
	one.emit("close");
	takeRoom(60, openReply());
	t.throws(() => takeRoom(1, openReply()), refused);
	t.end();
});
