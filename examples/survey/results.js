import { contentOf, countsOf } from "./answers.js";

const element = (id) => document.getElementById(id);

/** Returns a number of answers as a text, such as “1 answer” or “2 answers”. */
export const plural = (count) => `${count.toLocaleString("en")} ${count === 1 ? "answer" : "answers"}`;

/** Formats the time of an answer for people. */
export const timeOf = ({ updatedAt }) =>
  new Date(updatedAt).toLocaleString("en", {
    day: "numeric",
    month: "long",
    hour: "numeric",
    minute: "2-digit",
  });

/** Shows a bar for each choice, with the number of people who have chosen it. */
export function drawTally(answers, choices) {
  const counts = countsOf(answers, choices);
  const most = Math.max(1, ...counts.values());
  const bars = [...counts].map(([choice, count]) => {
    const bar = element("bar").content.firstElementChild.cloneNode(true);
    const share = count / Math.max(1, answers.length);
    bar.querySelector(".choice").textContent = choice;
    bar.querySelector(".count").textContent = `${count.toLocaleString("en")} · ${Math.round(share * 100)}%`;
    bar.querySelector(".bar").style.setProperty("--share", share);
    bar.classList.toggle("most", count === most);
    return bar;
  });
  element("tally").replaceChildren(...bars);
  element("total").textContent = answers.length === 0 ? "" : plural(answers.length);
}

function drawAnswer(answer, me) {
  const item = element("answer").content.firstElementChild.cloneNode(true);
  const part = (selector) => item.querySelector(selector);
  const { name, choice, comment } = contentOf(answer);
  item.dataset.user = answer.userId;
  part(".name").textContent = answer.userId === me.id ? `${name} (you)` : name;
  part(".choice").textContent = choice;
  part(".text").textContent = comment;
  part("time").dateTime = new Date(answer.updatedAt).toISOString();
  part("time").textContent = timeOf(answer);
  part(".remove .unseen").textContent = ` the answer of ${name}`;
  return item;
}

/**
 * Shows the first answers of the list, at most as many as the number `shown`. `me` is the viewer. If the button “Remove” of an answer had
 * the focus, the button of the same answer gets it again.
 */
export function drawResults(answers, { me, shown }) {
  const at = document.activeElement?.closest(".answer")?.dataset.user;
  element("answers").replaceChildren(...answers.slice(0, shown).map((answer) => drawAnswer(answer, me)));
  element("empty").hidden = answers.length > 0;
  element("more").hidden = answers.length <= shown;
  for (const id of ["export", "clear"]) element(id).disabled = answers.length === 0;
  const again = [...element("answers").children].find((item) => item.dataset.user === at);
  again?.querySelector(".remove").focus();
}
