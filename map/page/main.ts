import { openSession } from './session.ts';

const status = document.querySelector('#status');

function say(text: string): void {
  if (status !== null) status.textContent = text;
}

const lost = 'This page has ended. Run "waypointd map" again.';
const session = await openSession(() => say(lost));
say(session === undefined ? lost : 'The session is open.');
