//! What extension policies say of a route.

pub mod dynamic_module;
pub mod ext_proc;
pub mod lua;
pub mod wasm;

use crate::ir::extensions::dynamic_module::DynamicModule;
use crate::ir::extensions::ext_proc::ExtProc;
use crate::ir::extensions::lua::Lua;
use crate::ir::extensions::wasm::Wasm;
use serde::Deserialize;
use serde::Serialize;

/// Everything extension policies say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvoyExtensionFeatures {
    /// External processors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ext_procs: Vec<ExtProc>,
    /// WebAssembly modules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wasms: Vec<Wasm>,
    /// Lua scripts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub luas: Vec<Lua>,
    /// Dynamic modules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dynamic_modules: Vec<DynamicModule>,
}
