//! Which rank of a distributed run this process is, as launchers tell it.

use std::env::VarError;

use recask_core::{Code, Error, Result};

/// Rank and world from the variables `RANK` and `WORLD_SIZE`, which `torchrun` and its like set; rank 0 of 1 where neither is
/// set.
///
/// # Errors
/// [`Code::InvalidArgument`] where one is missing, is no number, or the rank is not in the world.
pub fn ranks_from_env() -> Result<(u64, u64)> {
    ranks_from(|name| match std::env::var(name) {
        Ok(value) => Some(value),
        Err(VarError::NotPresent) => None,
        Err(VarError::NotUnicode(value)) => Some(value.to_string_lossy().into_owned()),
    })
}

fn ranks_from(variable: impl Fn(&str) -> Option<String>) -> Result<(u64, u64)> {
    let refused = |text: String| Error::new(Code::InvalidArgument, text);
    let number = |name: &str, value: &str| {
        let text = || format!("the variable {name} is '{value}', which is no number of a rank or world");
        value.trim().parse::<u64>().map_err(|_| refused(text()))
    };
    match (variable("RANK"), variable("WORLD_SIZE")) {
        (None, None) => Ok((0, 1)),
        (Some(_), None) => Err(refused("the variable RANK is set, but WORLD_SIZE is not".into())),
        (None, Some(_)) => Err(refused("the variable WORLD_SIZE is set, but RANK is not".into())),
        (Some(rank), Some(world)) => {
            let (rank, world) = (number("RANK", &rank)?, number("WORLD_SIZE", &world)?);
            if rank >= world {
                let text =
                    format!("the variables say rank {rank} of {world} (WORLD_SIZE); ranks count from 0");
                return Err(refused(text));
            }
            Ok((rank, world))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rank: Option<&str>, world: Option<&str>) -> Result<(u64, u64)> {
        ranks_from(|name| {
            match name {
                "RANK" => rank,
                "WORLD_SIZE" => world,
                other => panic!("{other} is none of the variables"),
            }
            .map(str::to_owned)
        })
    }

    #[test]
    fn a_launcher_tells_both() {
        assert_eq!(of(Some("3"), Some("8")).unwrap(), (3, 8));
        assert_eq!(of(Some(" 0 "), Some("1\n")).unwrap(), (0, 1));
    }

    #[test]
    fn without_a_launcher_a_process_is_alone() {
        assert_eq!(of(None, None).unwrap(), (0, 1));
    }

    #[test]
    fn half_of_it_or_nonsense_is_refused() {
        let cases = [
            (Some("0"), None),
            (None, Some("2")),
            (Some("2"), Some("2")),
            (Some("0"), Some("0")),
            (Some("-1"), Some("2")),
            (Some("0"), Some("two")),
            (Some(""), Some("2")),
        ];
        for (rank, world) in cases {
            let error = of(rank, world).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument, "{rank:?} {world:?}");
            assert!(error.message().contains("RANK") || error.message().contains("WORLD_SIZE"), "{error}");
        }
    }
}
