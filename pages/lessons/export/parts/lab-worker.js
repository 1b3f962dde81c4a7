/** The worker of the Lab: a setting comes in; a sample of each policy goes out after each replication. */
import { bytes, drawn, Engine } from "./lab-engine.js";

let ready, known, latest = 0;
const { port1: heard, port2: said } = new MessageChannel();
/** Let messages in, without the rest that a timer takes: a newer setting ends what is under way. */
const pause = () => new Promise((resolve) => {
  heard.onmessage = resolve;
  said.postMessage(0);
});

/** The engine, made of what the page has of it. */
async function made(text) {
  return new Engine((await WebAssembly.instantiate(bytes(text))).instance.exports, known);
}

async function run({ number, setting, policies, replications }) {
  const engine = await ready;
  for (let replication = 0; replication < replications; replication++) {
    const jobs = drawn(known, setting.seed, replication), samples = {};
    for (const policy of policies) {
      engine.begin(policy, setting, jobs, replication);
      for (let over = false; !over;) {
        over = engine.advance();
        await pause();
        if (number !== latest) return;
      }
      samples[policy] = engine.sample();
    }
    postMessage({ number, samples });
  }
}

onmessage = async ({ data }) => {
  try {
    if (data.known) {
      known = data.known;
      ready = made(data.wasm);
      return;
    }
    latest = data.number;
    await run(data);
  } catch (error) {
    postMessage({ number: data.number, failed: String(error) });
  }
};
