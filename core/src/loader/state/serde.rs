//! A state in the formats of serde, by way of its JSON document.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use ::serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use ::serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};

use super::{State, json};
use crate::format::cstore::{Json, Text};

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            Value(&json::document(self)).serialize(serializer)
        } else {
            serializer.collect_str(self)
        }
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let state = if deserializer.is_human_readable() {
            json::state(&Document::deserialize(deserializer)?.0)
        } else {
            String::deserialize(deserializer)?.parse()
        };
        state.map_err(D::Error::custom)
    }
}

/// What a document of a state is made of.
struct Value<'j>(&'j Json);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Json::Null => serializer.serialize_none(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Integer(digits) => match digits.parse() {
                Ok(number) => serializer.serialize_u64(number),
                Err(_) => Err(S::Error::custom("a number of a state has no 64 bits")),
            },
            Json::Float(value) => serializer.serialize_f64(*value),
            Json::String(text) => serializer.serialize_str(text.as_str()),
            Json::Array(items) => serializer.collect_seq(items.iter().map(Value)),
            Json::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key.as_str(), &Value(value))?;
                }
                map.end()
            }
        }
    }
}

struct Document(Json);

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Document)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the state of a loader")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Integer(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Integer(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Json, A::Error> {
        // What the format says of the length is not trusted.
        let mut items = Vec::new();
        while let Some(Document(item)) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        // As in the text, the value that comes last counts.
        let mut members = BTreeMap::new();
        while let Some((key, Document(value))) = map.next_entry::<String, _>()? {
            members.insert(Text::from(key), value);
        }
        Ok(Json::Object(members.into_iter().collect()))
    }
}
