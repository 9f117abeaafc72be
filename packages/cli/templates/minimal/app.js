// The service knows who the viewer is, and stores the number of visits of each viewer.
const me = await easel.me();
const visits = await easel.kv.user.increment("visits");

document.querySelector("#hello").textContent = `Hello ${me.name}`;
document.querySelector("#visits").textContent = `This is your visit number ${visits}.`;
