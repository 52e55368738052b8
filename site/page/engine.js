"use strict";
const $ = id => document.getElementById(id);

// --- The engine: questions by number, each with its promise. ---

let worker, asked = 0, waiting = new Map(), loaded;

function start() {
  loaded = new Promise((resolve, reject) => {
    worker = new Worker("worker.js");
    const stopped = text => { const error = new Error(text); reject(error); abandon(error); };
    worker.onerror = event => stopped(`the engine stopped: ${event.message}; load the page again`);
    worker.onmessage = ({data}) => {
      if (data.ready) return resolve();
      if (data.fatal) return stopped(`the engine does not run: ${data.fatal}; load the page again, and see that its folder has watchbed.bin`);
      const {resolve: answer, reject} = waiting.get(data.number);
      waiting.delete(data.number);
      data.error === null ? answer(data.answer) : reject(new Error(data.error));
    };
  });
  loaded.catch(() => {});
}

function abandon(error) {
  for (const {reject} of waiting.values()) reject(error);
  waiting.clear();
}

// stopEngine ends what the engine does; another one takes its place.
function stopEngine() {
  worker.terminate();
  abandon(new Error("Cancelled"));
  start();
}

async function ask(operation, question = {}) {
  await loaded;
  return new Promise((resolve, reject) => {
    waiting.set(++asked, {resolve, reject});
    worker.postMessage({number: asked, operation, question});
  });
}

function say(text) { $("status").textContent = text; $("status").className = ""; }
function fail(text) { $("status").textContent = text; $("status").className = "bad"; }

// visit counts the places that the page has been at: an answer that was asked for at another place comes too late.
let visit = 0, busy = 0;

async function during(text, work) {
  const here = visit;
  say(text);
  busy++;
  $("cancel").hidden = false;
  try {
    const answer = await work();
    if (here === visit) return say(""), answer;
  } catch (error) {
    if (here === visit) fail(sentence(error.message));
  } finally {
    $("cancel").hidden = --busy === 0;
  }
}

$("cancel").onclick = stopEngine;
addEventListener("error", event => fail(`The page has a mistake: ${event.message}.`));
addEventListener("unhandledrejection", event => fail(sentence(event.reason.message)));

function sentence(text) { return (/^[a-z-]+[ :,.]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text) + (/[.!?]$/.test(text) ? "" : "."); }

function element(name, text, className) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
}

function button(text, action) {
  const b = element("button", text, "link");
  b.type = "button";
  b.onclick = action;
  return b;
}
