export { type A2a, createA2a } from "./create-a2a.js";
