mod complete;
mod reopen;
