mod complete;
mod mutate;
mod reopen;
