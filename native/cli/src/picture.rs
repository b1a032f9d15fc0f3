//! Small images as block characters.

use recask::DType;
use recask::core::dtype::to_vec;

const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
/// The most rows and columns that are drawn.
const LARGEST: usize = 64;
/// Columns up to which a pixel is two characters wide; of wider images, two rows share a line.
const WIDE_PIXELS: usize = 36;

/// Draws a record of shape (rows, columns) of u8 or f32; the darkest value is empty, the lightest full.
pub(crate) fn draw(dtype: &DType, shape: &[u64], bytes: &[u8]) -> Option<String> {
    let (rows, columns) = match *shape {
        [rows, columns] | [rows, columns, 1] | [1, rows, columns] => (rows, columns),
        _ => return None,
    };
    let extent = |extent: u64| usize::try_from(extent).ok().filter(|extent| (4..=LARGEST).contains(extent));
    let (_, columns) = (extent(rows)?, extent(columns)?);
    let pixels: Vec<f32> = if *dtype == DType::U8 {
        bytes.iter().map(|&value| f32::from(value)).collect()
    } else if *dtype == DType::F32 {
        to_vec(dtype, bytes).ok()?
    } else {
        return None;
    };
    let finite = || pixels.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f32::INFINITY, f32::min), finite().fold(f32::NEG_INFINITY, f32::max));
    let shade = |value: f32| SHADES[level((value - low) / (high - low))];
    let wide = columns <= WIDE_PIXELS;
    let lines = pixels.chunks(columns * if wide { 1 } else { 2 }).map(|line| {
        let line: String = if wide {
            line.iter().flat_map(|&value| [shade(value); 2]).collect()
        } else {
            let (upper, lower) = line.split_at(columns);
            let below = |i: usize| lower.get(i).copied().unwrap_or(upper[i]);
            upper.iter().enumerate().map(|(i, &value)| shade(f32::midpoint(value, below(i)))).collect()
        };
        line.trim_end().to_owned()
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// Which shade; the lowest where there is no contrast.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 4, or not a number"
)]
fn level(share: f32) -> usize {
    (share * 4.0).round().clamp(0.0, 4.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dark_is_empty_and_light_is_full() {
        let mut pixels = [0u8; 16];
        pixels[5] = 200;
        pixels[10] = 100;
        assert_eq!(draw(&DType::U8, &[4, 4], &pixels).unwrap(), "\n  ██\n    ▒▒\n");
    }

    #[test]
    fn wide_images_join_two_rows() {
        let mut pixels = [0u8; 160];
        pixels[..40].fill(8);
        pixels[40..80].fill(8);
        pixels[80..120].fill(8);
        assert_eq!(
            draw(&DType::U8, &[4, 40], &pixels).unwrap(),
            format!("{}\n{}", "█".repeat(40), "▒".repeat(40))
        );
    }

    #[test]
    fn only_small_images_are_drawn() {
        assert_eq!(draw(&DType::U8, &[16], &[0; 16]), None);
        assert_eq!(draw(&DType::U8, &[65, 4], &[0; 260]), None);
        assert_eq!(draw(&DType::U8, &[2, 8], &[0; 16]), None);
        assert_eq!(draw(&DType::I64, &[4, 4], &[0; 128]), None);
    }

    #[test]
    fn a_flat_image_and_one_without_numbers_are_empty() {
        assert_eq!(draw(&DType::U8, &[4, 4], &[7; 16]).unwrap(), "\n\n\n");
        let nan: Vec<u8> = f32::NAN.to_le_bytes().repeat(16);
        assert_eq!(draw(&DType::F32, &[4, 4], &nan).unwrap(), "\n\n\n");
    }
}
