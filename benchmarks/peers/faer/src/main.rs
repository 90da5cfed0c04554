//! Times products, Cholesky factorizations and eigenproblems of faer: requests and answers are those of benchmarks/gotimes.
//!
//! Usage: faer-times THREADS

use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par, Side};
use serde_json::{json, Value};

/// A call to repeat: the time of that many calls.
type Timer = Box<dyn FnMut(u64) -> Duration>;

/// Numbers between -1 and 1, without a pattern that an eigensolver would profit from: those of SplitMix64.
fn random(rows: usize, cols: usize) -> Mat<f64> {
    let mut state = 0_u64;
    Mat::from_fn(rows, cols, |_, _| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / (u64::MAX as f64) * 2.0 - 1.0
    })
}

fn gemm(m: usize, n: usize, k: usize, par: Par) -> Timer {
    let (a, b, mut c) = (random(m, k), random(k, n), random(m, n));
    Box::new(move |loops| {
        let start = Instant::now();
        for _ in 0..loops {
            matmul(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, par);
        }
        start.elapsed()
    })
}

fn potrf(n: usize, par: Par) -> Timer {
    let mut original = random(n, n);
    for i in 0..n {
        original[(i, i)] = 2.0 * n as f64;
    }
    let mut a = original.clone();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, par, Default::default()));
    Box::new(move |loops| {
        let mut total = Duration::ZERO;
        for _ in 0..loops {
            a.copy_from(&original);
            let start = Instant::now();
            cholesky_in_place(a.as_mut(), Default::default(), par, MemStack::new(&mut memory), Default::default())
                .expect("the diagonal outweighs the rows");
            total += start.elapsed();
        }
        total
    })
}

fn eigh(n: usize) -> Timer {
    let mut a = random(n, n);
    for j in 0..n {
        for i in 0..j {
            a[(i, j)] = a[(j, i)];
        }
    }
    Box::new(move |loops| {
        let start = Instant::now();
        for _ in 0..loops {
            a.self_adjoint_eigen(Side::Lower).expect("the iteration converges");
        }
        start.elapsed()
    })
}

fn eig(n: usize, vectors: bool) -> Timer {
    let a = random(n, n);
    Box::new(move |loops| {
        let start = Instant::now();
        for _ in 0..loops {
            if vectors {
                a.eigen().expect("the iteration converges");
            } else {
                a.eigenvalues().expect("the iteration converges");
            }
        }
        start.elapsed()
    })
}

fn prepare(request: &Value, par: Par) -> Result<Timer, String> {
    let size = |name: &str| request[name].as_u64().unwrap_or(0) as usize;
    match (request["op"].as_str(), request["dtype"].as_str()) {
        (Some("gemm"), Some("d")) => Ok(gemm(size("m"), size("n"), size("k"), par)),
        (Some("potrf"), Some("d")) => Ok(potrf(size("n"), par)),
        (Some("eigh"), Some("d")) => Ok(eigh(size("n"))),
        (Some("eig"), Some("d")) => Ok(eig(size("n"), true)),
        (Some("eigvals"), Some("d")) => Ok(eig(size("n"), false)),
        _ => Err("not timed from Rust".to_string()),
    }
}

fn main() -> io::Result<()> {
    let threads: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    let par = if threads > 1 { Par::rayon(threads) } else { Par::Seq };
    faer::set_global_parallelism(par); // of functions that are not told
    let mut out = io::stdout();
    writeln!(out, "{}", json!({"version": "faer 0.24", "kernel": ""}))?;
    let mut timer: Option<Timer> = None;
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let mut answer = json!({});
        if request["do"] == "prepare" {
            match prepare(&request, par) {
                Ok(prepared) => timer = Some(prepared),
                Err(reason) => answer["skip"] = json!(reason),
            }
        } else if let (Some(run), Some(loops)) = (timer.as_mut(), request["loops"].as_u64()) {
            answer["seconds"] = json!(run(loops).as_secs_f64());
        }
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
