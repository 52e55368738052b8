"use strict";
// The engine in a worker, so that the page stays usable while it runs.
importScripts("wasm_exec.js");

self.ready = () => postMessage({ready: true});
self.answered = (number, answer, error) => postMessage({number, answer: answer && JSON.parse(answer), error});
onmessage = ({data}) => self.ask(data.number, data.operation, JSON.stringify(data.question));

// The file is compressed, and named so that no server says of it that it is.
(async () => {
  const packed = await fetch("watchbed.bin");
  if (!packed.ok) throw new Error("watchbed.bin: " + packed.status);
  const plain = packed.body.pipeThrough(new DecompressionStream("gzip"));
  const go = new Go();
  const {instance} = await WebAssembly.instantiateStreaming(
    new Response(plain, {headers: {"Content-Type": "application/wasm"}}), go.importObject);
  await go.run(instance);
  throw new Error("it has ended");
})().catch(error => postMessage({fatal: error.message}));
